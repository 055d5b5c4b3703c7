export function buildId(root: string): string
export function buildName(sources: string): string
