import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { canonical } from '#domain/audit-log/canonical.ts'
import { equalHashes } from '#domain/audit-log/hash.ts'
import { type AuditLeaf, searchTextOf } from '#domain/audit-log/leaf.ts'
import { foldText } from '#domain/text.ts'
import type { EntryGlance } from '#server/db/audit/audit-checks.ts'
import type { Actor } from '#server/db/tables/audit-tables.ts'

/** Whether an entry has the hash that its place has, and every column beside the leaf is what the leaf says. */
export function isAsRecorded(entry: EntryGlance, companyId: number, hash: Uint8Array): boolean {
  if (entry.leaf === null || !isHashOfLeaf(entry.leaf, hash)) return false
  const leaf = JSON.parse(entry.leaf) as AuditLeaf
  return (
    leaf.id === entry.id &&
    leaf.company === companyId &&
    entry.company_id === companyId &&
    leaf.time === entry.end_time &&
    leaf.user_id === entry.exec_user_id &&
    leaf.user_name === entry.exec_user_name &&
    leaf.code === entry.code &&
    leaf.operation === entry.operation &&
    leaf.status === entry.status &&
    leaf.intent === entry.intent &&
    leaf.request_id === entry.request_id &&
    (leaf.actor_company === null) === (entry.actor_company_id === null) &&
    isActorOf(leaf, entry.actor) &&
    isSearchOf(leaf, entry.search) &&
    isDeepStrictEqual(leaf.info, entry.info)
  )
}

/** As `leafHash`, some times as fast. */
export const isHashOfLeaf = (leaf: string, hash: Uint8Array): boolean =>
  equalHashes(createHash('sha256').update('\0').update(leaf).digest(), hash)

export function isActorOf({ actor_hash }: AuditLeaf, actor: Actor | null): boolean {
  if (actor === null || actor_hash === null) return actor === actor_hash
  return (
    createHash('sha256')
      .update(canonical({ ...actor }))
      .digest('hex') === actor_hash
  )
}

/** A name is folded by itself when it is written (`entryStatement`); entries of before were folded as a whole. */
export function isSearchOf(leaf: AuditLeaf, search: string): boolean {
  const rest = foldText(searchTextOf({ ...leaf, user_name: '' }))
  const name = foldText(leaf.user_name)
  return search === (name === '' ? rest : `${name}\n${rest}`) || search === foldText(searchTextOf(leaf))
}
