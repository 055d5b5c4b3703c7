/** The words of backups come with the code that says them: only devices of people who order, and of the provider's staff, keep either. */
import en from '#locales/en/backups.json'
import zh from '#locales/zh/backups.json'
import { i18n } from '#ui/i18n/i18n.ts'

i18n.addResourceBundle('en', 'backups', en)
i18n.addResourceBundle('zh', 'backups', zh)
