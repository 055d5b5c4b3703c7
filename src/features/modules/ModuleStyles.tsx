import '#features/modules/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/modules/sheet.css?url'

export const ModuleStyles = createStyleSheet(styleUrl, 'modules')
