import { useMedia } from '#ui/display/useMedia.ts'

/**
 * Returns whether the window is as narrow or as low as that of a phone, upright or sideways. Then the head of a page is one line: the title
 * and one menu. page.css has the same condition.
 */
export const useCompact = (): boolean => useMedia('(width < 48rem), (height < 30rem)')
