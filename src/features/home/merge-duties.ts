import type { HomeDuty, HomeReport } from '#ui/page/home-report.ts'

/** Sort key of a duty without a date. It comes after every date. */
const endOfTime = '~'

/**
 * Merges the duties of all features, sorted by date: an empty date comes first, null comes last. Each key gets the feature's name as a
 * prefix.
 */
export const mergeDuties = (reports: readonly HomeReport[]): HomeDuty[] =>
  reports
    .flatMap(({ source, duties }) => duties.map((duty) => ({ ...duty, key: `${source} ${duty.key}` })))
    .toSorted((a, b) => {
      const [firstDate, secondDate] = [a.at ?? endOfTime, b.at ?? endOfTime]
      return firstDate < secondDate ? -1 : firstDate > secondDate ? 1 : 0
    })
