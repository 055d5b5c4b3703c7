/** The words of the second factor come with its code, which nobody needs before a password was right. */
import en from '#locales/en/factors.json'
import zh from '#locales/zh/factors.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'factors', en)
i18n.addResourceBundle('zh', 'factors', zh)
