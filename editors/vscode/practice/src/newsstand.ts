// What the newsstand sold today.

interface Paper {
  name: string;
  sold: number;
}

export const today: Paper[] = [
  { name: "Evening Star", sold: 85 },
  { name: "Morning Post", sold: 120 },
];

export function mostRead(papers: Paper[]): string[] {
  papers.sort((a, b) => b.sold - a.sold);
  return papers.map((paper) => paper.nane);
}
