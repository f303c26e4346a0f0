"""Games and labels at scale: readers, the Parquet store, teachers, shards and workers."""
