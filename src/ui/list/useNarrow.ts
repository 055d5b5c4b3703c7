import { useMedia } from '#ui/display/useMedia.ts'

/** Returns whether the window is as narrow as a phone, or zoomed to that width. */
export const useNarrow = (): boolean => useMedia('(width < 48rem)')
