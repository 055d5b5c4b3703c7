/** Dates and times as the specification writes them (portal 9), in the business time zone (D31). Instants are epoch ms. */
export type PlainDate = string
export type Timestamp = string

const formatsByZone = new Map<string, Intl.DateTimeFormat>()
const formatFields = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const

function getDatePartsInZone(zone: string, instant: number): Record<string, string> {
  let format = formatsByZone.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, hourCycle: 'h23', ...formatFields })
    formatsByZone.set(zone, format)
  }
  return Object.fromEntries(format.formatToParts(instant).map((part) => [part.type, part.value]))
}

/** Each minute is worked out once: a list shows hundreds of instants, and an answer the same ones again. */
const minuteTexts = new Map<string, string>()
const maxMinuteTexts = 2000

function formatMinute(zone: string, minute: number): string {
  const key = `${minute} ${zone}`
  const cachedText = minuteTexts.get(key)
  if (cachedText !== undefined) return cachedText
  const parts = getDatePartsInZone(zone, minute * 60_000)
  const text = `${parts.year}-${parts.month}-${parts.day} ${parts.hour}:${parts.minute}`
  if (minuteTexts.size >= maxMinuteTexts) minuteTexts.clear()
  minuteTexts.set(key, text)
  return text
}

/** `yyyy-MM-dd HH:mm:ss` in the zone. */
export function toTimestamp(zone: string, instant: number): Timestamp {
  const minute = Math.floor(instant / 60_000)
  // Zones differ by whole minutes, since 1972.
  const second = Math.floor(instant / 1000) - minute * 60
  return `${formatMinute(zone, minute)}:${String(second).padStart(2, '0')}`
}

/** `YYYY-MM-DD` in the zone: "today" of every rule. */
export const toPlainDate = (zone: string, instant: number): PlainDate => toTimestamp(zone, instant).slice(0, 10)

/** The first moment of that day in the zone, epoch ms. */
export function getStartOfDay(zone: string, date: PlainDate): number {
  const [momentA, momentB] = findMoments(zone, `${date} 00:00:00`)
  const firstMoment = Math.min(momentA, momentB)
  return toPlainDate(zone, firstMoment) === date ? firstMoment : Math.max(momentA, momentB)
}

/**
 * When clocks in the zone show that, epoch ms: the first time where they show it twice, the moment they are put on where they never
 * do. Null: there is no such day or time.
 */
export function findInstant(zone: string, timestamp: Timestamp): number | null {
  if (timestamp < firstSupported || timestamp >= endSupported || Number.isNaN(Date.parse(toUtcText(timestamp))))
    return null
  const [momentA, momentB] = findMoments(zone, timestamp)
  const match = [Math.min(momentA, momentB), Math.max(momentA, momentB)].find(
    (instant) => toTimestamp(zone, instant) === timestamp,
  )
  return match ?? Math.max(momentA, momentB)
}

/** Between these a year has four digits in every zone, as a timestamp has them. */
const [firstSupported, endSupported] = ['1000-01-02', '9999-12-31']

const toUtcText = (timestamp: Timestamp) => `${timestamp.replace(' ', 'T')}Z`

/** By the distance of the zone's clocks from UTC before and after they may have been put on or back. */
function findMoments(zone: string, timestamp: Timestamp): [number, number] {
  const instant = Date.parse(toUtcText(timestamp))
  const applyOffset = (nearInstant: number) =>
    instant + nearInstant - Date.parse(toUtcText(toTimestamp(zone, nearInstant)))
  return [applyOffset(instant), applyOffset(applyOffset(instant))]
}
