"""The boundary ring of quality: what lands, and what is about to be published, against columns.yml."""
