"""What proves an answer: potentials of all labels, or the labels that survived; checked without any solver."""
