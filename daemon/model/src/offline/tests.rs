mod changes;
mod conversation;
mod hostile;
mod intents;
mod refactoring;
mod repairs;
