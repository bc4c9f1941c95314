// A block of code: coloured when it is complete, with buttons to propose it in the open file, to copy it, and to insert it at the cursor.

import { Fragment, type ComponentChild } from "preact";
import { useEffect, useState } from "preact/hooks";
import { IconButton } from "../buttons";
import { post } from "../connection";
import type { CodeNode } from "./highlight";
import { highlightCode } from "./highlight";

function draw(node: CodeNode): ComponentChild {
  if (node.type === "text") {
    return node.value;
  } else if (node.type === "element") {
    const names = node.properties.className;
    return <span class={Array.isArray(names) ? names.join(" ") : undefined}>{node.children.map(draw)}</span>;
  }
  return null;
}

/** The coloured code. It is coloured after it is drawn, so that drawing does not wait. */
export function CodeText({ text, language, isGrowing }: { text: string; language: string; isGrowing: boolean }) {
  const [coloured, setColoured] = useState<{ text: string; nodes: CodeNode[] }>();
  useEffect(() => {
    if (isGrowing) {
      return undefined;
    }
    const request = requestIdleCallback(
      () => {
        const nodes = highlightCode(text, language);
        if (nodes) {
          setColoured({ text, nodes });
        }
      },
      { timeout: 500 },
    );
    return () => cancelIdleCallback(request);
  }, [text, language, isGrowing]);
  return coloured?.text === text ? <Fragment>{coloured.nodes.map(draw)}</Fragment> : <Fragment>{text}</Fragment>;
}

export function CodeBlock({ text, language, isGrowing }: { text: string; language: string; isGrowing: boolean }) {
  const code = text.replace(/\n$/, "");
  return (
    <div class="code-block">
      <div class="code-bar">
        <span class="code-language">{language.slice(0, 40)}</span>
        {!isGrowing && <IconButton icon="diff" label="Apply the code as a hunk to review" run={() => post({ kind: "apply", text: code })} />}
        <IconButton icon="copy" label="Copy the code" run={() => post({ kind: "copy", text: code })} />
        <IconButton icon="insert" label="Insert the code at the cursor" run={() => post({ kind: "insert", text: code })} />
      </div>
      <pre tabIndex={0} role="group" aria-label={`Code${language ? `, ${language.slice(0, 40)}` : ""}`}>
        <code>
          <CodeText text={code} language={language} isGrowing={isGrowing} />
        </code>
      </pre>
    </div>
  );
}
