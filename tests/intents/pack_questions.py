"""Questions by pack and intent that stand in no pack: written after the packs, and never to be put into one."""

from __future__ import annotations

NEW_QUESTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "company_research": {
        "company_figures": (
            "What is the FY2018 capital expenditure amount (in USD millions) for 3M?",
            "How much cash did Danvers Motors hold at the end of March?",
            "What was the year over year change in net income of PepsiCo from 2021 to 2022?",
            "Compute the return on assets of Corvane Mining for fiscal 2022.",
            "Wie hoch waren die Schulden von Bayer zum Jahresende?",
        ),
        "company_business": (
            "Which operating segments does Danvers Motors have?",
            "Who are the largest customers of Corvane Mining?",
            "What does Lindqvist Software sell, and in which countries?",
            "Which company did PepsiCo acquire in 2018?",
            "In welchen Ländern hat Bayer Tochtergesellschaften?",
        ),
        "company_risks": (
            "What risk factors does PepsiCo list on supply chains?",
            "Is Danvers Motors party to a class action lawsuit?",
            "Does Corvane Mining breach a covenant of its loans?",
            "What did the regulator's investigation of Lindqvist Software find?",
            "Welche Klage läuft gegen Bayer?",
        ),
        "company_outlook": (
            "What guidance did PepsiCo give for 2023?",
            "What did the CEO of Danvers Motors say on the call about electric cars?",
            "How did management of Corvane Mining explain the lower output?",
            "Which long-term margin target did Lindqvist Software announce?",
            "Welche Prognose gibt Bayer für das Gesamtjahr?",
        ),
        "company_coverage": (
            "What do newspapers report on the strike at Danvers Motors?",
            "What is our price target for Corvane Mining?",
            "Summarise our latest research note on Lindqvist Software.",
            "Which news came out about PepsiCo's recall?",
            "Was ist unsere Einschätzung von Bayer?",
        ),
        "": (
            "How do I renew my passport?",
            "What is the best film of the year?",
            "Tell me about the history of Rome.",
        ),
    },
    "bank_lending": {
        "lending_rules": (
            "Up to which loan to value do we finance a home?",
            "May a private customer repay a home loan early?",
            "Who approves a loan of three million euros?",
            "Do we lend to casinos?",
        ),
        "borrower_credit": (
            "What did the credit memo on Brennan Logistics conclude?",
            "Which rating does the borrower Brennan Logistics have?",
            "What are the weaknesses of the borrower Orla Foods?",
        ),
        "loan_contracts": (
            "Which covenant did Brennan Logistics agree to?",
            "What secures the loan of Orla Foods?",
            "When does the loan agreement with Brennan Logistics end?",
            "Welche Bürgschaft haben wir von Brennan Logistics?",
        ),
        "loan_book": (
            "What share of our loans is non-performing?",
            "How did arrears develop in the quarter?",
            "How much did we write off last year in the loan book?",
        ),
        "kyc_rules": (
            "Which documents identify a new customer?",
            "What do I do when a payment looks suspicious?",
            "How often do we review a high risk customer under the KYC rules?",
        ),
        "kyc_customers": (
            "Who owns Brennan Logistics, according to its due diligence file?",
            "Was a screening hit found for a director of Orla Foods?",
            "Which risk class does the KYC file give Orla Foods?",
        ),
        "": ("How do I renew my passport?", "What is the best film of the year?", "Tell me about the history of Rome."),
    },
    "insurance": {
        "insurance_cover": (
            "Is theft of a bicycle covered by the household policy?",
            "Which deductible does motor insurance have?",
            "How can a customer cancel a policy?",
            "Sind Sturmschäden versichert?",
        ),
        "underwriting": (
            "Do we accept a restaurant with an open grill?",
            "Which surcharge applies to older buildings?",
            "Who may accept a property risk of five million euros?",
        ),
        "claims_handling": (
            "Who may settle a claim of 20,000 euros?",
            "How long may it take to pay an accepted claim?",
            "What do we do when fraud is suspected?",
        ),
        "claim_cases": (
            "What did the adjuster find in claim 23-0412?",
            "How much did we pay in claim 23-0412?",
            "What is the status of claim 24-0077?",
        ),
        "insurance_figures": (
            "What was our combined ratio last year?",
            "How did the lapse rate develop?",
            "Wie hoch sind die Prämieneinnahmen?",
        ),
        "reinsurance": (
            "Which reinsurers take part in the storm treaty?",
            "What is our retention per event?",
            "Welchen Anteil hat der Rückversicherer?",
        ),
        "": ("How do I renew my passport?", "What is the best film of the year?", "Tell me about the history of Rome."),
    },
    "generic_company": {
        "about_company": (
            "Who leads the department of finance?",
            "How many people does our company employ in Brno?",
            "Who owns our company?",
        ),
        "house_rules": (
            "May I carry over my holiday to next year?",
            "How do I claim expenses of a business trip?",
            "What happens with overtime?",
            "Wie viel Homeoffice ist erlaubt?",
        ),
        "work_instructions": (
            "How do I close the month in finance?",
            "Which steps start the bench?",
            "How do I order a new tool?",
        ),
        "supplier_contracts": (
            "When does the contract with our cleaning company end?",
            "Which penalty did we agree for late delivery?",
            "What warranty does the supplier give?",
        ),
        "products": (
            "What is the list price of the heat meter?",
            "How long does its battery last?",
            "How is the heat meter installed?",
        ),
        "projects_and_decisions": (
            "Which risks does the project have?",
            "What did the last management meeting decide on the new hall?",
            "Who leads project Otter?",
        ),
        "": ("How do I renew my passport?", "What is the best film of the year?", "Tell me about the history of Rome."),
    },
}
