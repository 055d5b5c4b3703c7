import '#features/audit-trail/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/audit-trail/sheet.css?url'

export const TrailStyles = createStyleSheet(styleUrl, 'audit-trail')
