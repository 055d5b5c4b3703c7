/** Free text through kept entries. */
import { tileWidth } from '#domain/audit-log/tiles.ts'
import { normaliseText } from '#domain/text.ts'
import { getTrailListId } from '#local/audit-trail/stored-trail-index.ts'
import { getAllTexts, textTerminator } from '#local/audit-trail/stored-tiles.ts'
import type { StoredTexts } from '#local/storage/trail-records.ts'
import type { UserDatabase } from '#local/storage/database.ts'

/** Places of the entries that hold the text, as the server compares it; null: nothing is looked for. */
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

/** Of the search before: whoever looks for something looks again, and to read them takes longer than to look through them. */
let lastSearch: { searchKey: string; texts: readonly StoredTexts[]; timer: ReturnType<typeof setTimeout> } | null = null
/** Nobody's texts stay in memory for longer, whoever has left meanwhile. */
const textsLifetimeMs = 30_000

/** As they are now: pieces only come, and with each the next place is another. Inside a transaction over what is kept. */
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

/** Found in the whole, and only then counted through to the entry that it lies in. */
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
