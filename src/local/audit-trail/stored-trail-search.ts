import { tileWidth } from '#domain/audit-log/tiles.ts'
import { normaliseText } from '#domain/text.ts'
import { getTrailListId } from '#local/audit-trail/stored-trail-index.ts'
import { getAllTexts, textTerminator } from '#local/audit-trail/stored-tiles.ts'
import type { StoredTexts } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Returns the log indexes of entries that contain the text, compared as on the server. Returns null if there is no search text. */
export async function searchStoredTrail(
  db: UserDatabase,
  companyId: number,
  searchText: unknown,
): Promise<Set<number> | null> {
  const normalisedText = typeof searchText === 'string' ? normaliseText(searchText) : ''
  if (normalisedText === '') return null
  const logIndexes = new Set<number>()
  if (normalisedText.includes(textTerminator)) return logIndexes
  for (const { index, texts } of await readTexts(db, companyId))
    for (const position of findPositions(texts, normalisedText)) logIndexes.add(index * tileWidth + position)
  return logIndexes
}

/** Texts of the last search. A user often searches again, and reading the texts takes longer than searching them. */
let lastSearch: { searchKey: string; texts: readonly StoredTexts[]; timer: ReturnType<typeof setTimeout> } | null = null
/** Maximum time that texts stay in memory after a search, in ms. They are then deleted even if their user has left. */
const textsLifetimeMs = 30_000

/**
 * Returns the current texts. Entries are only added and each piece changes the next log index, so the cache key shows whether they are
 * current. Must run inside a transaction over the stored trail.
 */
async function readTexts(db: UserDatabase, companyId: number): Promise<readonly StoredTexts[]> {
  const [storedTrail, index] = await Promise.all([
    db.storedTrails.get(companyId),
    db.indexes.get(getTrailListId(companyId)),
  ])
  const searchKey = `${db.name} ${companyId} ${index?.name} ${storedTrail?.next}`
  const texts = lastSearch?.searchKey === searchKey ? lastSearch.texts : await getAllTexts(db, companyId)
  clearTimeout(lastSearch?.timer)
  lastSearch = { searchKey, texts, timer: setTimeout(() => (lastSearch = null), textsLifetimeMs) }
  return texts
}

function* findPositions(texts: string, normalisedText: string): Generator<number> {
  let [position, end] = [0, texts.indexOf(textTerminator)]
  for (let i = texts.indexOf(normalisedText); i >= 0; i = texts.indexOf(normalisedText, end)) {
    while (end < i) {
      end = texts.indexOf(textTerminator, end + 1)
      position += 1
    }
    yield position
  }
}
