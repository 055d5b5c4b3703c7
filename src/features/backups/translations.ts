/**
 * Messages of backups, loaded with their code: only devices of people who order and of the provider's staff store them. Operations of a
 * service have the messages of services.
 */
import en from '#locales/en/backups.json'
import services from '#locales/en/services.json'
import zh from '#locales/zh/backups.json'
import zhServices from '#locales/zh/services.json'
import { i18n } from '#ui/i18n/messages.ts'

i18n.addResourceBundle('en', 'backups', en)
i18n.addResourceBundle('zh', 'backups', zh)
i18n.addResourceBundle('en', 'services', services)
i18n.addResourceBundle('zh', 'services', zhServices)
