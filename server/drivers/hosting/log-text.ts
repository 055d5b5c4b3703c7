/** Rules for the lines of service logs that all drivers share: how a line is cut, and how much of a log is stored per day. */

const maxTextLength = 2000

/** Daily limits in bytes: for all tasks of a service together, and for the entries of the host. */
export const logDayBytes = { tasks: 8_000_000, host: 1_000_000 }

/**
 * Share of the daily limit up to which entries of each priority may fill the log. Anybody can send requests, so they leave space for
 * refused logins. Anybody can cause refused logins, so they leave space for other entries, and those leave space for events such as starts
 * and stops.
 */
export const priorityShares = { request: 0.75, refusal: 0.875, normal: 1, lifecycle: 1.25 }
export type LogPriority = keyof typeof priorityShares

export const formatLogLimit = (priority: LogPriority, dayBytes: number): string =>
  `${Number(((dayBytes * priorityShares[priority]) / 1_000_000).toPrecision(3))} MB`

export const formatDay = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Cuts a long text. The result ends with the number of missing characters. `fullLength` is set if `text` is only the beginning. */
export function cutText(text: string, maxLength: number, fullLength = text.length): string {
  const missingCount = fullLength - maxLength
  return missingCount > 0 ? `${text.slice(0, maxLength)}… [${missingCount} more characters]` : text
}

/** Makes a single line without control characters, of limited length. */
export const toLogText = (text: string, fullLength = text.length): string =>
  cutText(text, maxTextLength, fullLength)
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
