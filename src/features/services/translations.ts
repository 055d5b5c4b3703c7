/** Messages of services, loaded with their code: only devices of people who order and of the provider's staff store them. */
import en from '#locales/en/services.json'
import zh from '#locales/zh/services.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'services', en)
i18n.addResourceBundle('zh', 'services', zh)
