/** One list of what the features report. */
import type { Duty, HomeReport } from '#ui/page/home-report.ts'

/** Later than any day. */
const never = '~'

/** What does not wait, then by day, then what has none. Keys are made one of a kind over all features. */
export const inOrder = (reports: readonly HomeReport[]): Duty[] =>
  reports
    .flatMap(({ from, duties }) => duties.map((duty) => ({ ...duty, key: `${from} ${duty.key}` })))
    .toSorted((a, b) => {
      const [first, second] = [a.at ?? never, b.at ?? never]
      return first < second ? -1 : first > second ? 1 : 0
    })
