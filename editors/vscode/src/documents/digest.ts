// The size and hash of a text, by which the extension and the daemon compare their copies.
//
// Contract: pure. The same numbers as the daemon's: bytes of UTF-8 with line ends, and SHA-256 up to a mebibyte.

import { createHash } from "node:crypto";

/** Longer texts are not hashed: the comparison happens before each edit. */
const MAX_HASHED_BYTES = 1024 * 1024;

export interface TextDigest {
  bytes: number;
  sha256?: string;
}

export function digestOf(text: string): TextDigest {
  const bytes = Buffer.byteLength(text, "utf8");
  return bytes > MAX_HASHED_BYTES ? { bytes } : { bytes, sha256: createHash("sha256").update(text, "utf8").digest("hex") };
}

/** Whether a text is another one than the digest says. Whatever the digest leaves out is not compared. */
export function differs(text: string, digest: Partial<TextDigest>): boolean {
  const own = digestOf(text);
  const isOtherHash = own.sha256 !== undefined && digest.sha256 !== undefined && own.sha256 !== digest.sha256;
  return own.bytes !== digest.bytes || isOtherHash;
}
