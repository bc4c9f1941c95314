// What the newsstand sold today.

interface Paper {
  title: string;
  sold: number;
}

export const today: Paper[] = [
  { title: "Evening Star", sold: 85 },
  { title: "Morning Post", sold: 120 },
];

export function mostRead(papers: Paper[]): string[] {
  papers.sort((a, b) => b.sold - a.sold);
  return papers.map((paper) => paper.titel);
}
