/** Date and time formats of the specification (portal 9) in the business time zone (D31). Instants are epoch ms. */
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

/** Formatted minutes are cached, because lists show hundreds of times, and many are equal. */
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
  // Since 1972, time zone offsets are whole minutes.
  const second = Math.floor(instant / 1000) - minute * 60
  return `${formatMinute(zone, minute)}:${String(second).padStart(2, '0')}`
}

/** `YYYY-MM-DD` in the zone. Business rules use it as "today". */
export const toPlainDate = (zone: string, instant: number): PlainDate => toTimestamp(zone, instant).slice(0, 10)

/** The first instant of that day in the zone, in epoch ms. */
export function getStartOfDay(zone: string, date: PlainDate): number {
  const [momentA, momentB] = findMoments(zone, `${date} 00:00:00`)
  const firstMoment = Math.min(momentA, momentB)
  return toPlainDate(zone, firstMoment) === date ? firstMoment : Math.max(momentA, momentB)
}

/**
 * Returns the instant of a local time in the zone, in epoch ms. For a time that occurs twice, this is the first instant; for a skipped
 * time, the instant of the clock change. Returns null if the day or time does not exist.
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

/** Range of supported dates, in which years have four digits in every zone. The end is exclusive. */
const [firstSupported, endSupported] = ['1000-01-02', '9999-12-31']

const toUtcText = (timestamp: Timestamp) => `${timestamp.replace(' ', 'T')}Z`

/** Applies the UTC offsets before and after a possible clock change. */
function findMoments(zone: string, timestamp: Timestamp): [number, number] {
  const instant = Date.parse(toUtcText(timestamp))
  const applyOffset = (nearInstant: number) =>
    instant + nearInstant - Date.parse(toUtcText(toTimestamp(zone, nearInstant)))
  return [applyOffset(instant), applyOffset(applyOffset(instant))]
}
