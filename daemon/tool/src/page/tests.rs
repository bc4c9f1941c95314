mod hostile;
mod pages;
