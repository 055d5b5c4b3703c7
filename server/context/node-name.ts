import { hostname } from 'node:os'

/** Returns a text by which an operator finds this process, such as `portal-1, process 4711`. */
export const describeNode = (): string => `${hostname()}, process ${process.pid}`
