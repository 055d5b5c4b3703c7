const secondMs = 1000
const maxSeconds = 60

/** Returns the delay in ms before an ended task is restarted: none after one recent end, then 1, 2, 4 … up to 60 seconds. */
export const getRestartDelay = (endCount: number): number =>
  endCount <= 1 ? 0 : Math.min(maxSeconds, 2 ** Math.min(endCount - 2, 6)) * secondMs
