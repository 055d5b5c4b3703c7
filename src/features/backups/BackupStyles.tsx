import '#ui/icons/app-icons.ts'
import '#ui/icons/order-icons.ts'
import '#features/backups/translations.ts'
import { createStyleSheet } from '#ui/page/create-sheet.tsx'
import styleUrl from '#features/backups/sheet.css?url'

export const BackupStyles = createStyleSheet(styleUrl, 'backups')
