/** Returns a percentage without zeros at its end: `20.00` is `20`, `12.50` is `12.5`. Other texts are returned unchanged. */
export const trimPercent = (percent: string): string => percent.replace(/^(\d+)(?:\.0+|(\.\d*[1-9])0+)$/, '$1$2')
