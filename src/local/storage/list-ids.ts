/** Keys under which lists, and what was read of them, are stored. */
import type { ListSpec } from '#contract/endpoint.ts'

export const fillId = (table: string, scope: number | null) => `${table}|${scope ?? ''}`

export const coverageId = (
  table: string,
  scope: number | null,
  filters: Record<string, string | number | boolean | undefined>,
) => `${table}|${scope ?? ''}|${JSON.stringify(filters)}`

export const pageId = (coverage: string, sort: ListSpec['sort'], results: number, page: number) =>
  `${coverage}|${sort.join(' ')}|${results}|${page}`
