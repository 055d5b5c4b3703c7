import { useMedia } from '#ui/display/useMedia.ts'

/** Whether filters and order are kept in a sheet, behind one button: on a phone, or where a window is zoomed that far. */
export const useNarrow = (): boolean => useMedia('(width < 48rem)')
