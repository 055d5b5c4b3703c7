/** The words of the audit trail come with its pages, which only those have who may read it. */
import en from '#locales/en/audit.json'
import zh from '#locales/zh/audit.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'audit', en)
i18n.addResourceBundle('zh', 'audit', zh)
