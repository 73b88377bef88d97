"""Experiments: seeded functions that return their numbers, and commands that print them."""

EXPERIMENTS = {
    "celegans": "genes of C. elegans, found by sequence models",
    "proteins": "secondary structure of proteins by letters alone, in folds",
    "entities": "named entities, beside python-crfsuite on the same features",
    "clinc150": "intents in a taxonomy from two or four examples each (T04, section 4.2)",
    "figure7": "accuracy and iterations against n (Bauer et al., Fig. 7), all cores, resumable",
}
"""What `python -m viterbi_lab.experiments` offers: the module, which has a ``main``, and what it is about."""
