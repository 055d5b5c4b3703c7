import type { ListSpec } from '#contract/endpoint.ts'

export const toListId = (table: string, scope: number | null) => `${table}|${scope ?? ''}`

export const toCoverageId = (
  table: string,
  scope: number | null,
  filters: Record<string, string | number | boolean | undefined>,
) => `${table}|${scope ?? ''}|${JSON.stringify(filters)}`

export const toPageId = (coverageId: string, sort: ListSpec['sort'], results: number, page: number) =>
  `${coverageId}|${sort.join(' ')}|${results}|${page}`
