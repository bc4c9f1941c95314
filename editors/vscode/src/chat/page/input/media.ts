// Images that are pasted or dropped into the page, and files that are dropped from VS Code's explorer.
//
// Contract: what is not an image, a PDF or a list of files is left to the input itself. The bytes go to the host at once; nothing of them
// is shown or kept here. What is too large is refused, and the page says so. VS Code gives the page a drop from its explorer only while Shift is held.

import { MAX_MEDIA, MAX_PROMPT, mediaTypes } from "../../wire/messages";
import { post } from "../connection";
import { inputNotice } from "../state";

type MediaType = (typeof mediaTypes)[number];

function mediaType(file: File): MediaType | undefined {
  return mediaTypes.find((type) => type === file.type);
}

/** Sends a file to the host, unless it is too large. */
function attach(file: File, mime: MediaType): void {
  const reader = new FileReader();
  reader.addEventListener("load", () => {
    const base64 = typeof reader.result === "string" ? reader.result.slice(reader.result.indexOf(",") + 1) : "";
    if (base64.length > MAX_MEDIA) {
      inputNotice.value = `${file.name.slice(0, 200)} is too large: an image or a PDF has at most 5 MB.`;
    } else if (base64.length > 0) {
      post({ kind: "attach", name: file.name.slice(0, 200), mime, base64 });
    }
  });
  reader.readAsDataURL(file);
}

/** Takes what a paste or a drop holds; whether there was anything for us. */
export function takeMedia(data: DataTransfer | null): boolean {
  const files = [...(data?.files ?? [])].filter((file) => mediaType(file) !== undefined);
  for (const file of files) {
    const mime = mediaType(file);
    if (mime) {
      attach(file, mime);
    }
  }
  const uris = (data?.getData("application/vnd.code.uri-list") || data?.getData("text/uri-list") || "")
    .split(/\r?\n/)
    .filter((uri) => /^(?:file|vscode-remote):/.test(uri));
  if (uris.length > 0) {
    post({ kind: "addFiles", uris: uris.slice(0, 50).map((uri) => uri.slice(0, 2_000)) });
  }
  return files.length > 0 || uris.length > 0;
}

/** Whether a text is longer than a prompt may be. The input would cut it without a word. */
function isTooLong(data: DataTransfer | null): boolean {
  const { length } = data?.getData("text/plain") ?? "";
  if (length > MAX_PROMPT) {
    const [given, most] = [length, MAX_PROMPT].map((count) => count.toLocaleString("en"));
    inputNotice.value = `That text has ${given} characters; a prompt has at most ${most}. Save it as a file and name the file with @.`;
  }
  return length > MAX_PROMPT;
}

/** Handles a paste or a drop. */
export function handleMedia(event: ClipboardEvent | DragEvent): void {
  const data = event instanceof ClipboardEvent ? event.clipboardData : event.dataTransfer;
  if (takeMedia(data) || isTooLong(data)) {
    event.preventDefault();
  }
}
