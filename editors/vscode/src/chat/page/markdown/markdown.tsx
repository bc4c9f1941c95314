// Draws Markdown as elements.
//
// Contract: tokens become elements of a fixed set of tags, and texts; there is no way from a text to markup. Images are not loaded: their
// description and address show.

import { Component, Fragment, h, type ComponentChild } from "preact";
import { useMemo, useRef } from "preact/hooks";
import type { Token } from "markdown-it";
import { LinkButton } from "../buttons";
import { post } from "../connection";
import type { BlockList } from "./blocks";
import { splitBlocks } from "./blocks";
import { CodeBlock } from "./codeBlock";
import { linkTarget, parseMarkdown } from "./parse";

const TAGS = new Set(["p", "strong", "em", "s", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td"]);
const HEADING = /^h[1-6]$/;
/** How many blocks are laid out, or left out, together. */
const GROUP = 8;

interface OpenElement {
  token?: Token;
  children: ComponentChild[];
}

function Link({ token, children }: { token: Token; children: ComponentChild[] }) {
  const href = String(token.attrGet("href") ?? "");
  const target = linkTarget(href);
  if (target?.kind === "web") {
    return (
      <a href={target.href} title={target.href}>
        {children}
      </a>
    );
  } else if (target?.kind === "place") {
    const { path, line } = target;
    return (
      <LinkButton title={`Open ${path}`} run={() => post({ kind: "openPlace", path: path.slice(0, 2_000), line })}>
        {children}
      </LinkButton>
    );
  }
  return (
    <Fragment>
      {children} ({href})
    </Fragment>
  );
}

function element({ token, children }: OpenElement): ComponentChild {
  if (!token || token.hidden) {
    return <Fragment>{children}</Fragment>;
  } else if (token.type === "link_open") {
    return <Link token={token}>{children}</Link>;
  } else if (token.tag === "table") {
    // A wide table scrolls by itself; the keyboard reaches it.
    return (
      <div class="table" tabIndex={0} role="group" aria-label="Table">
        <table>{children}</table>
      </div>
    );
  }
  if (HEADING.test(token.tag)) {
    // Each is a section below the title of the page: a model's levels would leave gaps.
    return <h2 class={`heading ${token.tag}`}>{children}</h2>;
  }
  const align = /text-align:(\w+)/.exec(String(token.attrGet("style") ?? ""))?.[1];
  const start = token.tag === "ol" ? Number(token.attrGet("start") ?? 1) : undefined;
  return TAGS.has(token.tag) ? (
    h(token.tag, { ...(align ? { class: `align-${align}` } : {}), ...(start ? { start } : {}) }, children)
  ) : (
    <Fragment>{children}</Fragment>
  );
}

function leaf(token: Token, isGrowing: boolean): ComponentChild {
  switch (token.type) {
    case "inline":
      return <Fragment>{elements(token.children ?? [], isGrowing)}</Fragment>;
    case "code_inline":
      return <code>{token.content}</code>;
    case "fence":
    case "code_block":
      return <CodeBlock text={token.content} language={token.info.trim().split(/\s+/)[0] ?? ""} isGrowing={isGrowing} />;
    case "hr":
      return <hr />;
    case "softbreak":
      return "\n";
    case "hardbreak":
      return <br />;
    case "image":
      return `[image: ${token.content || "without a description"}] (${token.attrGet("src") ?? ""})`;
    default:
      return token.content;
  }
}

function elements(tokens: readonly Token[], isGrowing: boolean): ComponentChild[] {
  const open: OpenElement[] = [{ children: [] }];
  for (const token of tokens) {
    if (token.nesting === 1) {
      open.push({ token, children: [] });
    } else {
      const ended = token.nesting === -1 && open.length > 1 ? open.pop() : undefined;
      open.at(-1)?.children.push(ended ? element(ended) : leaf(token, isGrowing));
    }
  }
  return open[0]?.children ?? [];
}

function Block({ source, isGrowing }: { source: string; isGrowing: boolean }) {
  return useMemo(() => <Fragment>{elements(parseMarkdown(source), isGrowing)}</Fragment>, [source, isGrowing]);
}

interface BlockGroupOptions {
  sources: readonly string[];
  /** The last block may still grow. */
  isGrowing: boolean;
}

/** Blocks that follow each other. While a text grows, a group that is not on the screen is neither laid out nor painted. */
class BlockGroup extends Component<BlockGroupOptions> {
  override shouldComponentUpdate({ sources, isGrowing }: BlockGroupOptions): boolean {
    const before = this.props;
    return isGrowing !== before.isGrowing || sources.length !== before.sources.length || sources.some((source, at) => source !== before.sources[at]);
  }

  override render({ sources, isGrowing }: BlockGroupOptions) {
    return (
      <div class="blocks">
        {sources.map((source, at) => (
          <Block key={at} source={source} isGrowing={isGrowing && at === sources.length - 1} />
        ))}
      </div>
    );
  }
}

/** A Markdown text, which may still grow: then only its last block is parsed and drawn again. */
export function Markdown({ text, isGrowing = false }: { text: string; isGrowing?: boolean }) {
  const before = useRef<BlockList>(undefined);
  const { blocks } = (before.current = before.current?.text === text ? before.current : splitBlocks(text, before.current));
  const groups: ComponentChild[] = [];
  for (let at = 0; at < blocks.length; at += GROUP) {
    groups.push(<BlockGroup key={at} sources={blocks.slice(at, at + GROUP)} isGrowing={isGrowing && at + GROUP >= blocks.length} />);
  }
  return <div class={isGrowing ? "markdown growing" : "markdown"}>{groups}</div>;
}
