"""Files read with a bound and written as a whole (`files`), by column (`columns`), or as something runs (`output`)."""
