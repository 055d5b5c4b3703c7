const secondMs = 1000
const maxSeconds = 60

/** Delay in ms before a task is restarted after this many ends in a short time: 0, then 1, 2, 4 and up to 60 s. */
export const getRestartDelay = (endCount: number): number =>
  endCount <= 1 ? 0 : Math.min(maxSeconds, 2 ** Math.min(endCount - 2, 6)) * secondMs
