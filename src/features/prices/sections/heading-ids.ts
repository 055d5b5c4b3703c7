import type { EditorSection } from '#features/prices/changes/list-changes.ts'

export const getHeadingId = (section: EditorSection): string => `price-section-${section}`
export const rehearsalHeadingId = 'price-rehearsal'
