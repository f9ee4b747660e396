"""Proofs of answers: potentials of all labels, or the labels that survived; checked without any solver."""
