/** The words of date fields come with them: few pages have one. */
import en from '#locales/en/dates.json'
import zh from '#locales/zh/dates.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'dates', en)
i18n.addResourceBundle('zh', 'dates', zh)
