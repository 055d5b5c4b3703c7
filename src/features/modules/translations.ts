/** The words of the catalogue come with its pages, which only the provider's staff have. */
import en from '#locales/en/modules.json'
import zh from '#locales/zh/modules.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'modules', en)
i18n.addResourceBundle('zh', 'modules', zh)
