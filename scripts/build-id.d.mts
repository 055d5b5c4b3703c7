export function buildId(root: string): string
export function buildName(root: string, sources: string): string
export function chooseBuildNumber(
  env: Record<string, string | undefined>,
  readCommit: () => number | null,
  now: Date,
): string
export function readCommitSeconds(root: string): number | null
