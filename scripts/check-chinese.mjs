/**
 * Checks punctuation and spaces of all Chinese messages with zhlint, which needs no network. Prints the file, the key and what to write.
 *
 *   node scripts/check-chinese.mjs
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run } from 'zhlint'

const folder = join(dirname(dirname(fileURLToPath(import.meta.url))), 'src', 'locales', 'zh')

/** Full-width punctuation and brackets; a space between Chinese and Latin, none between Chinese characters. */
const rules = {
  preset: 'default',
  halfwidthPunctuation: '',
  fullwidthPunctuation: '，。：；？！“”‘’（）',
  adjustedFullwidthPunctuation: '',
  skipZhUnits: '',
}

/**
 * Placeholders whose value is a name or a sentence. It may be Chinese, so there is no space around it; the style sheet has
 * `text-autospace` for values in Latin letters. All other values are numbers, codes, dates and amounts.
 */
const chineseValues = new Set(
  'action actions by call company customer fault field fields matter name names part problem reason row title user userName write'.split(
    ' ',
  ),
)
/** The same in one file only: times such as "5 分钟前", sentences. */
const chineseValuesOfFile = {
  'backups.json': ['subject'],
  'customers.json': ['author'],
  'export.json': ['zone'],
  'orders.json': ['failed'],
  'outbox.json': ['age', 'at', 'when'],
  // Spaces are added around each name in Latin letters when the sentence is built (src/features/audit-trail/sentence).
  'sentences.json':
    'after before changes factor field file first name object operation outcome person second sentence service user'.split(
      ' ',
    ),
  'services.json': ['failed', 'zone'],
  'shell.json': ['zone'],
  'storedTrail.json': ['text'],
  'users.json': ['failed'],
}

/** Placeholders, file endings (.zip) and quoted code ("format": 1) are masked: zhlint takes their signs for punctuation. */
const maskPattern = /\{\{(\w+)\}\}|"[^"\p{Script=Han}]*"(?:: (?:\d+|"[^"]*"))?|\.(?:zip|mapp|DS_Store|_)/gu

const chineseMasks = [...'甲乙丙丁戊己庚辛壬癸'].map((sign) => `某${sign}`)
const latinMasks = [...'ABCDEFGHIJ'].map((sign) => `X${sign}`)
/** A kind of backup begins in Latin and ends in Chinese: "S3 备份". */
const typeMasks = latinMasks.map((mask) => `${mask} 类`)

/** The text as it should be written. */
function correct(text, file) {
  const masked = []
  const isChinese = (name) => chineseValues.has(name) || chineseValuesOfFile[file]?.includes(name)
  const maskedText = text.replace(maskPattern, (value, name) => {
    const masks = name === 'type' ? typeMasks : isChinese(name) ? chineseMasks : latinMasks
    const mask = masks[masked.length]
    masked.push([mask, value])
    return mask
  })
  return masked.reduceRight(
    (result, [mask, value]) => result.replace(mask, () => value),
    run(maskedText, { rules }).result,
  )
}

const listMessages = (tree, path = '') =>
  Object.entries(tree).flatMap(([key, value]) =>
    typeof value === 'string' ? [[path + key, value]] : listMessages(value, `${path}${key}.`),
  )

const problems = readdirSync(folder).flatMap((file) =>
  listMessages(JSON.parse(readFileSync(join(folder, file), 'utf8'))).flatMap(([key, text]) => {
    const correctText = correct(text, file)
    return correctText === text ? [] : [`src/locales/zh/${file} ${key}\n  is:    ${text}\n  write: ${correctText}`]
  }),
)

for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
