/** The words of the preparation come with its code. */
import en from '#locales/en/prepare.json'
import zh from '#locales/zh/prepare.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'prepare', en)
i18n.addResourceBundle('zh', 'prepare', zh)
