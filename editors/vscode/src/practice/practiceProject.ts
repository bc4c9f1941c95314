// Makes the practice project of the walkthrough, in the home folder.
//
// Contract: it writes only into a folder that it has made itself.

import { cp, mkdir } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";

const NAME = "copydesk-practice";
const MAX_PROJECTS = 100;

/** The file with the error. */
export const PRACTICE_FILE = "src/newsstand.ts";

async function makeFolder(): Promise<string> {
  for (let number = 1; number <= MAX_PROJECTS; number += 1) {
    const folder = join(homedir(), number === 1 ? NAME : `${NAME}-${number}`);
    try {
      await mkdir(folder);
      return folder;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) {
        throw error;
      }
    }
  }
  throw new Error(`There are ${MAX_PROJECTS} practice projects in ${homedir()}: delete those that you no longer need.`);
}

/** Copies the template into a new folder; returns its path. */
export async function makePracticeProject(template: string): Promise<string> {
  const folder = await makeFolder();
  await cp(template, folder, { recursive: true, force: false });
  return folder;
}
