"""The dependency parsing job: exact decoding, the tables and figures of the papers, drawn trees."""
