import { useMedia } from '#ui/display/useMedia.ts'

/** Returns whether filters and sort order are in a sheet behind one button: on a phone, or in a window zoomed to that width. */
export const useNarrow = (): boolean => useMedia('(width < 48rem)')
