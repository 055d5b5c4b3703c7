const secondMs = 1000
const longest = 60

/** How long a task waits before it is started after so many ends in a short time: not at all, then 1, 2, 4 and up to 60 s. In ms. */
export const restartDelay = (ends: number): number =>
  ends <= 1 ? 0 : Math.min(longest, 2 ** Math.min(ends - 2, 6)) * secondMs
