import { liveQuery, type Observable } from 'dexie'

/** Repeats the read after each change of what it has read, in this tab or another one or the service worker. `read` must be declared `async`. */
export const observeRead = <T>(read: () => Promise<T>): Observable<T> => liveQuery(read)

export type ObservedRead<T> = Observable<T>
