/** Rows that change by themselves: the one doorway to live queries over the device's database. */
import { useLiveQuery } from 'dexie-react-hooks'

/** Undefined until the device has answered. After `asks` change the last answer stays until the new one is there. */
export function useLive<T>(read: () => Promise<T> | T, asks: readonly unknown[]): T | undefined {
  return useLiveQuery(read, [...asks])
}
