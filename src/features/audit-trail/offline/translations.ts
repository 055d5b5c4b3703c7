/** The words of what is kept on the device and proven there come with its code. */
import en from '#locales/en/auditKept.json'
import zh from '#locales/zh/auditKept.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'auditKept', en)
i18n.addResourceBundle('zh', 'auditKept', zh)
