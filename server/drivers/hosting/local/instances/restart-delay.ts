const secondMs = 1000
const maxSeconds = 60

/** How long a task waits before it is started after so many ends in a short time: not at all, then 1, 2, 4 and up to 60 s. In ms. */
export const getRestartDelay = (endCount: number): number =>
  endCount <= 1 ? 0 : Math.min(maxSeconds, 2 ** Math.min(endCount - 2, 6)) * secondMs
